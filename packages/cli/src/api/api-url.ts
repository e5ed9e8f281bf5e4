import { routes } from '@mandate/sdk/schema.generated'
import { usageFailure } from '../failure.ts'

const basePath = '/api/v1'

/**
 * The address of a path of the interface, such as `/agents`, with or without `/api/v1` before it.
 * @param origin the control plane, perhaps with a path of its own
 */
export function apiUrl(origin: string, path: string): URL {
  if (/^[a-z][a-z0-9+.-]*:/i.test(path)) {
    throw usageFailure(
      `${path} is an address; give a path such as /agents`,
      'the control plane is that of `mandate login` or MANDATE_URL',
    )
  }
  const relative = `/${path.replace(/^\/+/, '')}`
  const [bare = ''] = relative.split(/[?#]/, 1)
  const isAbsolute = bare.startsWith(`${basePath}/`) || absolutePaths.has(bare)
  const url = new URL(origin + (isAbsolute ? '' : basePath) + relative)
  // A path such as /../admin would leave the interface.
  if (/(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)/i.test(bare)) throw usageFailure(`${path} must not contain . or .. segments`)
  url.hash = ''
  return url
}

const absolutePaths = new Set(
  Object.values(routes as Record<string, { path: string; absolute?: boolean }>)
    .filter(({ absolute }) => absolute)
    .map(({ path }) => path),
)
