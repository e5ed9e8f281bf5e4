import type { Schema } from '@mandate/sdk'
import { useQuery } from '@tanstack/react-query'
import { client } from './client.ts'

type Environment = Schema<'Environment'>

/** A choice waits for all pages of the list, so their number has an end. */
const mostPages = 25
const limit = 200

async function readAll(signal: AbortSignal): Promise<Environment[]> {
  const all: Environment[] = []
  for (let page = 0; page < mostPages; page++) {
    const { data, total } = await client.call('listEnvironments', { query: { limit, offset: all.length }, signal })
    all.push(...data)
    if (data.length === 0 || all.length >= total) break
  }
  return all
}

/** All environments that the reader sees. They are undefined while they are read, and if that failed. */
export function useEnvironments({ enabled = true }: { enabled?: boolean } = {}) {
  const { data, error, refetch } = useQuery({
    queryKey: ['listEnvironments', 'all'],
    queryFn: ({ signal }) => readAll(signal),
    enabled,
  })
  return { environments: data, error: data ? null : error, retry: () => void refetch() }
}

/** Names environments by their ids. */
export function usePlaceOf(): (id: string) => string {
  const { environments } = useEnvironments()
  return (wanted) =>
    environments?.find(({ id }) => id === wanted)?.name ??
    (environments ? 'an environment that you do not see' : 'not read yet')
}
