// A tool's work for tests of `worker`: adds, spins for ever, throws, or reports progress, as its arguments say.
export default async function work(args, context) {
  context.progress({ seen: args.mode })
  switch (args.mode) {
    case 'spin':
      for (;;);
    case 'throw':
      throw new Error('secret of the worker')
    case 'coded':
      throw Object.assign(new Error('The quota is spent.'), { name: 'ToolError', code: 'QUOTA_SPENT', retryable: true })
    case 'exit':
      process.exit(3)
    // falls through
    default:
      return { sum: args.a + args.b, key: context.idempotencyKey.length, call: context.call.id }
  }
}
