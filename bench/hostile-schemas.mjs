const members = (count, member) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, member(index)]))

function nested(levels) {
  let schema = { type: 'string' }
  for (let level = 0; level < levels; level++) schema = { type: 'object', properties: { next: schema } }
  return schema
}

function doubling(levels) {
  const $defs = { d0: { type: 'string' } }
  for (let level = 1; level <= levels; level++) {
    const $ref = `#/$defs/d${level - 1}`
    $defs[`d${level}`] = { type: 'object', properties: { left: { $ref }, right: { $ref } } }
  }
  return { type: 'object', properties: { root: { $ref: `#/$defs/d${levels}` } }, $defs }
}

const almost = `${'a'.repeat(30)}b`

/** Schemas made to stall whoever compiles or checks them, each with arguments for the first check. */
export const hostileSchemas = [
  {
    name: 'regular expression ^(a+)+$',
    schema: { type: 'object', properties: { text: { type: 'string', pattern: '^(a+)+$' } } },
    args: { text: almost },
  },
  {
    name: 'patternProperties ^(a+)+$',
    schema: { type: 'object', patternProperties: { '^(a+)+$': { type: 'string' } } },
    args: { [almost]: 'x' },
  },
  {
    name: '5,000 properties',
    schema: { type: 'object', properties: members(5_000, () => ({ type: 'string' })) },
    args: members(5_000, (index) => `value ${index}`),
  },
  { name: '2,000 deep', schema: nested(2_000), args: {} },
  { name: 'each $def refers twice to the next, 25 levels', schema: doubling(25), args: { root: { left: {} } } },
  {
    name: 'remote $ref',
    schema: { type: 'object', properties: { a: { $ref: 'https://schemas.example/x.json' } } },
    args: { a: 1 },
  },
  {
    name: 'enum of 10,000',
    schema: { type: 'object', properties: { a: { enum: Array.from({ length: 10_000 }, (_, index) => `v${index}`) } } },
    args: { a: 'v9999' },
  },
]
