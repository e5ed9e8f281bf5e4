import { z } from 'zod'
import { anyone } from './endpoint/access.ts'
import { endpoint } from './endpoint/endpoint.ts'

const tag = 'Pages'

export const pageEndpoints = {
  readGettingStarted: endpoint({
    method: 'GET',
    path: '/getting-started',
    absolute: true,
    tag,
    summary: 'Read the first steps',
    description: 'The text of `docs/getting-started.md`, as Markdown.',
    access: anyone,
    answers: { 200: z.string() },
    errors: [],
    produces: 'text/plain',
  }),
}
