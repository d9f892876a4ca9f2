/** One thing that is wrong with a value: where (`location.city`, empty for the whole) and what was expected. */
export type SchemaIssue = { readonly path: string; readonly message: string }
