/**
 * Our own packages as a configuration file gets them: always this process's instances, wherever the file lies and
 * whatever is installed beside it.
 */
export async function virtualModules(): Promise<{ readonly [specifier: string]: unknown }> {
  const [fairlead, runtime, ambient, core, models, testing] = await Promise.all([
    import('../index.ts'),
    import('@fairlead/runtime'),
    import('@fairlead/runtime/ambient'),
    import('@fairlead/runtime/core'),
    import('@fairlead/runtime/models'),
    import('@fairlead/runtime/testing'),
  ])
  return {
    fairlead,
    'fairlead/ambient': ambient,
    '@fairlead/runtime': runtime,
    '@fairlead/runtime/ambient': ambient,
    '@fairlead/runtime/core': core,
    '@fairlead/runtime/models': models,
    '@fairlead/runtime/testing': testing,
  }
}
