// The first name that matches counts: browsers also name the ones they descend from.
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

/** The program and system that a user agent names, such as `Firefox on Windows`. Only fixed words, nothing of the text itself. */
export function deviceName(userAgent: string): string {
  const nameIn = (names: readonly (readonly [string, RegExp])[]) =>
    names.find(([, pattern]) => pattern.test(userAgent))?.[0]
  const program = nameIn(programs) ?? 'an unknown program'
  const system = nameIn(systems)
  return system ? `${program} on ${system}` : program
}
