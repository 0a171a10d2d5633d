export function freshBundle(root: string, entry: string): string | undefined;
export function makeBundle(root: string, entry: string): Promise<string | undefined>;
export function withSources(stack: string): string;
