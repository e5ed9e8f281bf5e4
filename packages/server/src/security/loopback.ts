const loopbackNames: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

/** True if the URL's host is this machine. Plain http is then as safe as https, because no one can listen in. */
export function isLoopback({ hostname }: URL): boolean {
  return loopbackNames.has(hostname)
}
