import { routes } from '@mandate/sdk/routes.generated'
import { usageFailure } from '../invocation/failure.ts'

const basePath = '/api/v1'

/**
 * Builds the URL of an API path such as `/agents`. The path may start with `/api/v1`.
 * @param origin the control plane's URL, which may include a path
 * @throws Failure for a full URL, or a path with `.` or `..` segments
 */
export function apiUrl(origin: string, path: string): URL {
  if (/^[a-z][a-z0-9+.-]*:/i.test(path)) {
    throw usageFailure(
      `${path} is a URL; give a path such as /agents`,
      'the control plane comes from `mandate login` or MANDATE_URL',
    )
  }
  const relative = `/${path.replace(/^\/+/, '')}`
  const [bare = ''] = relative.split(/[?#]/, 1)
  const isAbsolute = bare.startsWith(`${basePath}/`) || absolutePaths.has(bare)
  const url = new URL(origin + (isAbsolute ? '' : basePath) + relative)
  // A path such as /../admin would reach outside /api/v1.
  if (/(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)/i.test(bare)) throw usageFailure(`${path} must not contain . or .. segments`)
  url.hash = ''
  return url
}

const absolutePaths = new Set(
  Object.values(routes as Record<string, { path: string; absolute?: boolean }>)
    .filter(({ absolute }) => absolute)
    .map(({ path }) => path),
)
