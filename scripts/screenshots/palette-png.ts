import { crc32, deflateSync } from 'node:zlib'

/** Pixels of a picture: red, green, blue and alpha, row by row. */
export interface Pixels {
  width: number
  height: number
  rgba: Uint8Array
}

const paletteSize = 256
/** The most frequent colours stay exact. The others share the rest of the palette. */
const exactColours = 160

type Counted = readonly [colour: number, count: number]

/** Encodes opaque pixels as PNG with at most 256 colours. A picture of the dashboard then has a third of its size, and looks the same. */
export function encodePalettePng({ width, height, rgba }: Pixels): Buffer {
  const colours = coloursOf(rgba)
  const counts = new Map<number, number>()
  for (const colour of colours) counts.set(colour, (counts.get(colour) ?? 0) + 1)
  const byCount = [...counts].sort(([, a], [, b]) => b - a)
  const palette = [
    ...byCount.slice(0, exactColours).map(([colour]) => colour),
    ...averagesOf(byCount.slice(exactColours), paletteSize - exactColours),
  ]
  const indexOf = new Map(byCount.map(([colour]) => [colour, nearest(palette, colour)]))
  const rows = Buffer.alloc((width + 1) * height)
  for (let y = 0; y < height; y++)
    // The byte before each row says that the row is not filtered.
    for (let x = 0; x < width; x++) rows[y * (width + 1) + 1 + x] = indexOf.get(colours[y * width + x] as number) ?? 0
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  // Eight bits for each pixel, which are an index into the palette.
  head.set([8, 3, 0, 0, 0], 8)
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', head),
    chunk('PLTE', Buffer.from(palette.flatMap(partsOf))),
    chunk('IDAT', deflateSync(rows, { level: 9, memLevel: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function coloursOf(rgba: Uint8Array): Uint32Array {
  const colours = new Uint32Array(rgba.length / 4)
  for (let at = 0; at < colours.length; at++)
    colours[at] = ((rgba[4 * at] as number) << 16) | ((rgba[4 * at + 1] as number) << 8) | (rgba[4 * at + 2] as number)
  return colours
}

const partsOf = (colour: number) => [colour >> 16, (colour >> 8) & 255, colour & 255]

/** Cuts the colours into boxes at the median of their widest side, and returns the average of each box. */
function averagesOf(colours: Counted[], most: number): number[] {
  if (colours.length === 0) return []
  const boxes = [colours]
  while (boxes.length < most) {
    const widest = boxes.map((box) => ({ box, ...widestSide(box) })).sort((a, b) => b.width - a.width)[0]
    if (!widest || widest.width === 0) break
    const { box, side } = widest
    const sorted = [...box].sort(([a], [b]) => (partsOf(a)[side] as number) - (partsOf(b)[side] as number))
    const middle = sorted.length >> 1
    boxes.splice(boxes.indexOf(box), 1, sorted.slice(0, middle), sorted.slice(middle))
  }
  return boxes.map(average)
}

function widestSide(box: readonly Counted[]): { side: number; width: number } {
  const parts = box.map(([colour]) => partsOf(colour))
  const widths = [0, 1, 2].map((side) => {
    const values = parts.map((part) => part[side] as number)
    return values.reduce((a, b) => Math.max(a, b), 0) - values.reduce((a, b) => Math.min(a, b), 255)
  })
  const width = Math.max(...widths)
  return { side: widths.indexOf(width), width }
}

function average(box: readonly Counted[]): number {
  const total = box.reduce((sum, [, count]) => sum + count, 0)
  const [red, green, blue] = [0, 1, 2].map((side) =>
    Math.round(box.reduce((sum, [colour, count]) => sum + (partsOf(colour)[side] as number) * count, 0) / total),
  ) as [number, number, number]
  return (red << 16) | (green << 8) | blue
}

function nearest(palette: readonly number[], colour: number): number {
  const [red, green, blue] = partsOf(colour) as [number, number, number]
  let best = 0
  let least = Number.POSITIVE_INFINITY
  for (const [index, other] of palette.entries()) {
    const distance = (red - (other >> 16)) ** 2 + (green - ((other >> 8) & 255)) ** 2 + (blue - (other & 255)) ** 2
    if (distance >= least) continue
    best = index
    least = distance
  }
  return best
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const frame = Buffer.alloc(8)
  frame.writeUInt32BE(data.length, 0)
  frame.writeUInt32BE(crc32(body), 4)
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)])
}
