/** Values that a careless or hostile caller may put into a field. */
export const hostileValues: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e308,
  '',
  ' ',
  '1',
  'nonsense',
  '\u0000',
  'a\u0000b',
  '\ud800',
  'x\udfffy',
  '\u202eevil\u2066',
  '\ufeff',
  "' or 1=1 --",
  '%00%ff',
  '../../etc/passwd',
  '00000000-0000-0000-0000-000000000000',
  '9999-12-31T23:59:59.999+14:00',
  'x'.repeat(70_000),
  '\u{1f600}'.repeat(300),
  [],
  [null],
  [[[[[[[[[[]]]]]]]]]],
  ['x'.repeat(300)],
  {},
  { __proto__: null, constructor: 1 },
  JSON.parse('{"__proto__":{"polluted":true},"toString":1}'),
]

/** Lists the paths (keys and indexes) of all values inside an example body. */
export function pathsInto(value: unknown, at: PropertyKey[] = []): PropertyKey[][] {
  if (typeof value !== 'object' || value === null) return at.length > 0 ? [at] : []
  const below = Object.entries(value).flatMap(([key, child]) =>
    pathsInto(child, [...at, Array.isArray(value) ? Number(key) : key]),
  )
  return at.length > 0 ? [at, ...below] : below
}

/** A copy of `body` with the value at `path` replaced. If `value` is undefined, the field is removed. */
export function withValue(body: unknown, path: readonly PropertyKey[], value: unknown): unknown {
  const copy = structuredClone(body) as Record<PropertyKey, unknown>
  let holder = copy
  for (const key of path.slice(0, -1)) holder = holder[key] as Record<PropertyKey, unknown>
  const last = path.at(-1) as PropertyKey
  if (value === undefined) delete holder[last]
  else Object.defineProperty(holder, last, { value, enumerable: true, configurable: true, writable: true })
  return copy
}
