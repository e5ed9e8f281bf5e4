import { expect, test } from 'vitest'
import { apiUrl } from './api-url.ts'
import { parseFields, searchOf } from './parse-fields.ts'

const json = async (strings: string[], typed: string[] = []) => JSON.stringify(await parseFields(strings, typed))

test.each([
  [['name=a=b', 'empty='], [], '{"name":"a=b","empty":""}'],
  [['n=1', 'b=true'], [], '{"n":"1","b":"true"}'],
  [
    [],
    ['n=1', 'f=-2.5', 'b=false', 'z=null', 's=text', 'v=1.2.3', 'o=007'],
    '{"n":1,"f":-2.5,"b":false,"z":null,"s":"text","v":"1.2.3","o":"007"}',
  ],
  [['a[b][c]=1', 'a[b][d]=2', 'list[]=x', 'list[]=y'], [], '{"a":{"b":{"c":"1","d":"2"}},"list":["x","y"]}'],
  [['__proto__[x]=1', 'constructor=2'], [], '{"__proto__":{"x":"1"},"constructor":"2"}'],
])('%j and %j become %s', async (strings, typed, expected) => {
  expect(await json(strings, typed)).toBe(expected)
  expect(({} as { x?: string }).x).toBeUndefined()
})

test.each([[['name']], [['=x']], [['a=1', 'a=2']], [['a[]=1', 'a[b]=2']], [['a[b=1']], [['a]=1']]])(
  'rejects %j as a wrong command line',
  async (strings) => {
    await expect(parseFields(strings, [])).rejects.toMatchObject({ exitCode: 2 })
  },
)

test('a query string has plain values only', async () => {
  expect(searchOf(await parseFields(['search=a b&c'], ['limit=5']))).toBe('search=a+b%26c&limit=5')
  const nested = await parseFields(['a[]=1'], [])
  expect(() => searchOf(nested)).toThrow('plain values only')
})

test.each([
  ['/agents', 'https://m.example/api/v1/agents'],
  ['agents?limit=1#x', 'https://m.example/api/v1/agents?limit=1'],
  ['/api/v1/agents', 'https://m.example/api/v1/agents'],
  ['/healthz', 'https://m.example/healthz'],
  ['//evil.example/x', 'https://m.example/api/v1/evil.example/x'],
  ['/users/a b', 'https://m.example/api/v1/users/a%20b'],
])('%s is requested at %s', (path, url) => {
  expect(apiUrl('https://m.example', path).href).toBe(url)
})

test.each(['https://evil.example/agents', 'javascript:1', '/../x', '/a/%2e%2E/b', '/a/..'])('%s is refused', (path) => {
  expect(() => apiUrl('https://m.example', path)).toThrow()
})
