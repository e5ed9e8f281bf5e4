declare module 'virtual:help-facts' {
  export const facts: import('../../../build/read-help-facts.ts').HelpFacts
}
