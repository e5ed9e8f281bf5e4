import { describe, expect, it } from 'vitest'
import { linesOf } from './export-lines.ts'

async function split(text: string, size: number): Promise<string[]> {
  const bytes = new TextEncoder().encode(text)
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
  }
  const lines: string[] = []
  for await (const line of linesOf(chunks())) lines.push(line)
  return lines
}

describe('the lines of an export', () => {
  it('end at \\n only, wherever the chunks end: a name may contain another separator', async () => {
    const lines = ['{"name":"a\u2028b\u2029c\u0085"}', '', '{"name":"Añe ☃ 🎉"}', '{"name":"the last line"}']
    for (const size of [1, 2, 3, 7, 1000]) {
      expect(await split(lines.join('\n'), size)).toEqual(lines)
      expect(await split(`${lines.join('\n')}\n`, size)).toEqual(lines)
    }
    expect(await split('', 1)).toEqual([])
  })

  it('begin after a byte order mark, and are text in UTF-8 only', async () => {
    expect(await split('\ufeff{"a":1}\n', 2)).toEqual(['{"a":1}'])
    for (const bytes of [
      [0x7b, 0xff, 0x7d],
      [0x1f, 0x8b, 8],
      [0xff, 0xfe, 0x7b, 0],
      [0x7b, 0],
      [0x7b, 0xc3],
    ]) {
      async function* chunks() {
        yield Uint8Array.from(bytes)
      }
      const read = async () => {
        for await (const _ of linesOf(chunks()));
      }
      await expect(read(), bytes.join()).rejects.toThrow('is not text in UTF-8')
    }
  })
})
