export function bannedWords(text: string): readonly { readonly line: number; readonly message: string }[];
