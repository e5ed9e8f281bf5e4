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
    description: 'The guide `docs/getting-started.md` as a page, with the address of this server.',
    access: anyone,
    answers: { 200: z.string() },
    errors: [],
    produces: 'text/html',
  }),
}
