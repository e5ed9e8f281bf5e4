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
})
