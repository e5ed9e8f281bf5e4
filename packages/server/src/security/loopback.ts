const loopbackNames: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

/**
 * True if the host of the URL is this machine. Plain http is then as safe as https, because no other machine can read the
 * traffic.
 */
export function isLoopback({ hostname }: URL): boolean {
  return loopbackNames.has(hostname)
}
