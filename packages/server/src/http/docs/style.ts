export const style = `
:root { color-scheme: light dark; --line: light-dark(#ddd, #383838); --soft: light-dark(#f6f6f4, #222); --quiet: light-dark(#666, #aaa) }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 84rem; margin: 0 auto; padding: 1.5rem; display: grid; grid-template-columns: 20rem minmax(0, 1fr); gap: 0 2rem }
header { grid-column: 1 / -1 }
h1 small, summary span, td:nth-child(2) { color: var(--quiet); font-weight: normal }
h2 { margin-top: 2.5rem } h3 { font-size: 1rem; margin: 1rem 0 .3rem }
nav { position: sticky; top: 0; align-self: start; max-height: 100vh; overflow: auto; font-size: .9rem }
nav p { margin: .8rem 0 .2rem; font-weight: 600 } nav ul { list-style: none; margin: 0; padding: 0 } nav b { font-size: .75rem }
nav a { color: inherit; text-decoration: none } nav a:hover { text-decoration: underline }
.search { position: sticky; top: 0; padding: .6rem 0; background: Canvas; display: none } .script .search { display: block }
#search { width: 100%; box-sizing: border-box; font: inherit; padding: .4rem .6rem } #found { color: var(--quiet) }
details, section > div { border: 1px solid var(--line); border-radius: 6px; margin: .4rem 0; padding: .5rem .8rem }
summary { cursor: pointer } details[open] > summary { margin-bottom: .5rem } [id] { scroll-margin-top: 3rem } [hidden] { display: none }
code { font-size: .9em; background: var(--soft); padding: .1em .25em; border-radius: 3px; overflow-wrap: anywhere }
pre { font-size: .85rem; background: var(--soft); padding: .6rem .8rem; border-radius: 6px; overflow: auto; position: relative }
pre button { position: absolute; top: .4rem; right: .4rem }
table { border-collapse: collapse; width: 100% } td { border-top: 1px solid var(--line); padding: .3rem .6rem .3rem 0; vertical-align: top }
summary b { display: inline-block; min-width: 4.2rem } .GET { color: light-dark(#0a6, #4c9) } .DELETE { color: light-dark(#b22, #f77) }
.POST, .PUT, .PATCH { color: light-dark(#05a, #7af) }
@media (max-width: 60rem) { body { display: block } nav { position: static; max-height: none } nav ul { display: none } .script nav.searching ul { display: block } }`
