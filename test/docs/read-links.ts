const withoutCode = (markdown: string) =>
  markdown.replaceAll(/^```[\s\S]*?^```$/gm, '').replaceAll(/<!--[\s\S]*?-->/g, '')

/** The targets of a page's links and images. */
export function linksOf(markdown: string): string[] {
  const text = withoutCode(markdown).replaceAll(/`[^`\n]*`/g, '')
  return [...text.matchAll(/\]\(([^()\s]+)\)/g)].map(([, target]) => target as string)
}

/** The anchors of a page: those that GitHub makes of headings, and those of `<a id>`. */
export function anchorsOf(markdown: string): Set<string> {
  const anchors = new Set<string>()
  for (const [, , heading, id] of withoutCode(markdown).matchAll(/^(#{1,6}) (.+)$|<a id="([^"]+)">/gm)) {
    anchors.add(id ?? unusedOf(slugOf(heading as string), anchors))
  }
  return anchors
}

function slugOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .trim()
    .replaceAll(' ', '-')
}

function unusedOf(slug: string, taken: ReadonlySet<string>): string {
  let anchor = slug
  for (let count = 1; taken.has(anchor); count++) anchor = `${slug}-${count}`
  return anchor
}
