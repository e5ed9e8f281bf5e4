import type { Examples } from './example.ts'

export const modelExamples: Examples = {
  listModels: {
    response: {
      data: [
        {
          model: 'large-2',
          agents: 14,
          declared: 12,
          observed: 9,
          calls_30d: 48_120,
          first_seen_at: '2026-01-19T00:00:00.000Z',
          last_seen_at: '2026-03-02T00:00:00.000Z',
        },
      ],
      total: 1,
      limit: 50,
      offset: 0,
    },
  },
}
