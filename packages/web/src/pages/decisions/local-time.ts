const two = (value: number) => String(value).padStart(2, '0')

/** A time of the address as a field for local times shows it. Empty without a time. */
export function localText(at: string | undefined): string {
  const time = new Date(at ?? '')
  if (Number.isNaN(time.getTime())) return ''
  const day = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`
  return `${day}T${two(time.getHours())}:${two(time.getMinutes())}`
}

/** What was typed into a field for local times, as the API writes times. Undefined if it is no time. */
export function instantOf(local: string): string | undefined {
  const time = new Date(local)
  return local === '' || Number.isNaN(time.getTime()) ? undefined : time.toISOString()
}
