const key = 'mandate next page'

/** Keeps the page that the reader wanted while a provider signs them in. The address that the provider returns to cannot hold it. */
export function keepNextPage(path: string | undefined): void {
  if (path === undefined) sessionStorage.removeItem(key)
  else sessionStorage.setItem(key, path)
}

/** Returns the page that was kept, once. */
export function takeNextPage(): string | undefined {
  const path = sessionStorage.getItem(key) ?? undefined
  sessionStorage.removeItem(key)
  return path
}
