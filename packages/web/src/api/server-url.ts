/**
 * The path at which the server is on its host, without a slash at its end. All code is in `assets` beside the page. While `vite` serves the sources, the
 * path is empty.
 */
export const basePath = import.meta.env.DEV ? '' : new URL('..', import.meta.url).pathname.replace(/\/$/, '')

/** The address of the server, which the API, the commands and the links of the pages begin with. */
export const serverUrl = () => location.origin + basePath
