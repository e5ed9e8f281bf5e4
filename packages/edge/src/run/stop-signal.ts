/** Returns an `AbortSignal` that aborts when the process gets its first stop signal. A second stop signal ends the process. */
export function stopSignal(names: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGINT', 'SIGHUP']): AbortSignal {
  const stopping = new AbortController()
  for (const name of names) {
    process.on(name, () => {
      if (stopping.signal.aborted) process.exit(1)
      stopping.abort(name)
    })
  }
  return stopping.signal
}
