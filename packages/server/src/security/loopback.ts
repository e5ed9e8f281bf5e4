const loopbackNames: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

/** Whether a URL leads to this machine, where nobody else listens in: plain http is then as good as https. */
export function isLoopback({ hostname }: URL): boolean {
  return loopbackNames.has(hostname)
}
