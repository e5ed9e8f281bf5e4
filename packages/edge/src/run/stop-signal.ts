/** Aborted by the first signal to stop; a second one ends the process at once. */
export function stopSignal(): AbortSignal {
  const stopping = new AbortController()
  for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(name, () => {
      if (stopping.signal.aborted) process.exit(1)
      stopping.abort(name)
    })
  }
  return stopping.signal
}
