/** Seconds a window may have at most: a year. */
export const longestSeconds: number = 366 * 86_400
