import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { viewer } from '../endpoint/access.ts'
import { type Endpoint, endpoint } from '../endpoint/endpoint.ts'
import { endpoints } from '../endpoints.ts'
import { findUndescribed } from './find-undescribed.ts'

const size = z.int().describe('Number of bytes in the file.')
const described = {
  method: 'GET',
  path: '/files/{file_id}',
  tag: 'Agents',
  summary: 'Read a file',
  description: 'The file as it was stored.',
  access: viewer,
  params: z.object({ file_id: z.string().describe('Id of the file.') }),
  answers: { 200: z.object({ size }) },
  errors: [],
} satisfies Endpoint

const faultsOf = (change: Partial<Endpoint>) => findUndescribed({ readFile: endpoint({ ...described, ...change }) })

describe('findUndescribed', () => {
  it('finds nothing in the API of Mandate', () => {
    expect(findUndescribed(endpoints)).toEqual([])
  })

  it.each<[string, Partial<Endpoint>, string]>([
    ['a tag without text', { tag: 'Files' }, 'tag Files has no description'],
    ['an operation without a summary', { summary: ' ' }, 'operation readFile has no summary'],
    [
      'an operation whose description names only the caller',
      { description: '', access: { ...viewer, sessionOnly: true } },
      'operation readFile has no description',
    ],
    [
      'a path parameter without text',
      { params: z.object({ file_id: z.string() }) },
      'readFile: path parameter file_id has no description',
    ],
    [
      'a query parameter that repeats its name',
      { query: z.object({ page_size: z.string().describe('The page size.') }) },
      'readFile: query parameter page_size: the description repeats the name',
    ],
    [
      'a field of a body in two words',
      { body: z.object({ size: z.int().describe('Some bytes.') }) },
      'readFile body.size: the description has fewer than 3 words',
    ],
    [
      'a field in a list in a field that may be null',
      {
        answers: {
          200: z.object({
            parts: z
              .array(z.object({ at: z.int() }))
              .nullable()
              .describe('Parts of the file.'),
          }),
        },
      },
      'readFile 200.parts.at has no description',
    ],
    [
      'a named schema without text',
      { answers: { 200: z.object({ size }).meta({ id: 'File' }) } },
      'schema File has no description',
    ],
  ])('finds %s', (_, change, fault) => {
    expect(faultsOf(change)).toEqual([fault])
  })
})
