/** Makes ids that are unique across processes: `<prefix>_<letters and digits>`. */
export interface Ids {
  next(prefix: 'run' | 'session' | 'trace' | 'approval' | 'rule' | 'worker'): string
}
