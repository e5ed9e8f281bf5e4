import fc from 'fast-check'
import { expect, it } from 'vitest'
import { basePathOf, withoutBasePath } from './base-path.ts'

it.each([
  ['https://host.example', ''],
  ['https://host.example/', ''],
  ['https://host.example/gov/mandate/', '/gov/mandate'],
])('the path of %s is "%s"', (publicUrl, path) => expect(basePathOf(publicUrl)).toBe(path))

it('removes the path of PUBLIC_URL from every URL that begins with it, and changes no other URL', () => {
  const path = fc.webPath({ size: 'small' })
  const query = fc.webQueryParameters().map((text) => `?${text}`)
  fc.assert(
    fc.property(path, fc.option(query, { nil: '' }), (rest, search) => {
      const url = `${rest || '/'}${search}`
      expect(withoutBasePath(`/gov/mandate${rest}${search}`, '/gov/mandate')).toBe(url)
      expect(withoutBasePath(url, '')).toBe(url)
      expect(withoutBasePath(`/gov/mandatex${rest}${search}`, '/gov/mandate')).toBe(`/gov/mandatex${rest}${search}`)
    }),
  )
})
