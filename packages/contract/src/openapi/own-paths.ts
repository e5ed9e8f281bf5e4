import type { Endpoint } from '../endpoint/endpoint.ts'
import { endpoints } from '../endpoints.ts'
import { dashboardPaths } from '../words/dashboard-paths.ts'

const firstPart = (path: string) => path.split('/')[1]
const pages = Object.values<Endpoint>(endpoints).flatMap(({ absolute, path }) => (absolute ? [path] : []))
const ownParts = new Set([...dashboardPaths, ...pages, '/api', '/assets'].map(firstPart).filter(Boolean))

/** Whether a path begins as paths of the server do, such as `/api`. */
export const isOwnPath = (path: string): boolean => ownParts.has(firstPart(path))
