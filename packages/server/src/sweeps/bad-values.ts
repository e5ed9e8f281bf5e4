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
  '9999-12-31T23:59:59.999-14:00',
  '0000-12-31T23:59:59Z',
  '+010000-01-01T00:00:00Z',
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

/** The first and last times and dates, in the years 0, 1 and 9999. */
export const extremeTimes: readonly string[] = [
  '0000-01-01',
  '0001-01-01',
  '9999-12-31',
  '0000-12-31T23:59:59Z',
  '0001-01-01T00:00:00Z',
  '9999-12-31T23:59:59.999Z',
  '9999-12-31T23:59:59.999-14:00',
  '+010000-01-01T00:00:00Z',
]

/** Well-formed ids that no row has. As a UUIDv7, the last id has a time in the year 10889. */
export const unknownIds: readonly string[] = [
  '00000000-0000-0000-0000-000000000000',
  '00000000-0000-7000-8000-000000000000',
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
  'ffffffff-ffff-7fff-bfff-ffffffffffff',
]

/** Values of query parameters, encoded for a URL. */
export const hostileParameters: readonly string[] = [
  '',
  'nonsense',
  '-1',
  '1.5',
  '9'.repeat(400),
  '%00',
  '%ED%A0%80',
  '%',
  "' or 1=1 --",
  '%F0%9F%98%80',
  ...unknownIds,
  ...extremeTimes.map(encodeURIComponent),
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
