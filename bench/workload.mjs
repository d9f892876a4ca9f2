/** What the model does: in each of `turns` turns it asks for `calls` calls of `add`, then it says `done`. */
export const scripts = {
  none: { turns: 0, calls: 0 },
  seq10: { turns: 10, calls: 1 },
  par20: { turns: 1, calls: 20 },
}

/** The calls' arguments and the tool's body, the same for every subject. Counts what ran. */
export function newWorkload() {
  const ran = { calls: 0 }
  return {
    ran,
    args: (index) => ({ a: index, b: 2, note: `call number ${index}` }),
    execute({ a, b }) {
      ran.calls++
      return { sum: a + b }
    },
  }
}
