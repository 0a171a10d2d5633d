export function installed(root: string): boolean;
export function install(root: string): Promise<void>;
