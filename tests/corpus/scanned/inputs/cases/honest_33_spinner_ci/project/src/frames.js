export const FRAMES = ['|', '/', '-', '\\'];
