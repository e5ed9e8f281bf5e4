// The first match is used. More specific browsers come first, because a browser's user agent also names the browsers that it is
// based on.
const programs = [
  ['Edge', /\bEdg/],
  ['Opera', /\bOPR\//],
  ['Firefox', /\bFirefox\/|\bFxiOS\//],
  ['Chrome', /\bChrome\/|\bCriOS\//],
  ['Safari', /\bSafari\//],
  ['curl', /^curl\//],
  ['Node.js', /^node\b|^undici\b/],
] as const

const systems = [
  ['iOS', /\b(?:iPhone|iPad|iPod)\b/],
  ['Android', /\bAndroid\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMac OS X\b|\bMacintosh\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Linux', /\bLinux\b/],
] as const

/**
 * Returns the browser and the operating system of a `User-Agent` header, such as `Firefox on Windows`. The result contains only
 * fixed words and no text from the header.
 */
export function deviceName(userAgent: string): string {
  const nameIn = (names: readonly (readonly [string, RegExp])[]) =>
    names.find(([, pattern]) => pattern.test(userAgent))?.[0]
  const program = nameIn(programs) ?? 'an unknown program'
  const system = nameIn(systems)
  return system ? `${program} on ${system}` : program
}
