/** The names of fields, each with the list of the values that the field can have. */
export type Fields = Readonly<Record<string, readonly (string | number | boolean)[]>>

/** A shape is a combination of field values. Each field has one of the values that `Fields` lists for it. */
export type Shape<F extends Fields> = { readonly [Name in keyof F]: F[Name][number] }

/**
 * Returns a function that calls `build` once for each shape (a combination of listed field values) and caches the result.
 * `build` receives only listed values, so no other data of a request can get into the cache. The cache has at most one result
 * for each possible combination. The returned function throws for a value that is not listed in `fields`.
 */
export function byShape<const F extends Fields, Built>(
  fields: F,
  build: (shape: Shape<F>) => Built,
): (shape: Shape<F>) => Built {
  const lists = Object.entries(fields).map(([name, values]) => ({ name, values }))
  const built = new Map<number, Built>()
  return (shape) => {
    let key = 0
    for (const { name, values } of lists) {
      const place = values.indexOf(shape[name] as string)
      if (place === -1) throw new Error(`the field ${name} must be one of ${values.join(', ')}`)
      key = key * values.length + place
    }
    let found = built.get(key)
    if (found === undefined) {
      found = build(Object.fromEntries(lists.map(({ name }) => [name, shape[name]])) as Shape<F>)
      built.set(key, found)
    }
    return found
  }
}
