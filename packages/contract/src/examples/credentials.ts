import type { Credential } from '../credentials.ts'
import type { Examples } from './example.ts'
import { ids, listOf } from './ids.ts'

const credential: Credential = {
  id: ids.credential,
  name: 'tickets-api',
  kind: 'header',
  environment_id: ids.development,
  config: { header: 'X-Api-Key' },
  version: 1,
  created_by: ids.user,
  last_used_at: null,
  created_at: '2026-02-12T12:00:00.000Z',
  updated_at: '2026-02-12T12:00:00.000Z',
}

const used: Credential = { ...credential, last_used_at: '2026-03-02T08:00:00.000Z' }
const updated_at = '2026-03-02T09:00:00.000Z'

export const credentialExamples: Examples = {
  listCredentials: { response: listOf(used) },
  createCredential: {
    request: {
      name: 'tickets-api',
      kind: 'header',
      environment_id: ids.development,
      config: { header: 'X-Api-Key' },
      secret: 'the key of the ticket system',
    },
    response: credential,
  },
  updateCredential: {
    request: { name: 'tickets', config: { header: 'X-Tickets-Key' } },
    response: { ...used, name: 'tickets', config: { header: 'X-Tickets-Key' }, version: 2, updated_at },
  },
  rotateCredential: {
    request: { secret: 'the new key of the ticket system' },
    response: { ...used, version: 2, updated_at },
  },
  getEdgeCredential: {
    response: {
      name: 'tickets-api',
      kind: 'header',
      config: { header: 'X-Api-Key' },
      secret: 'the key of the ticket system',
      version: 1,
    },
  },
}
