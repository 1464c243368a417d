// Assembles target/site: script, WebAssembly and style sheet with content hashes in their names, the public files with
// their own names, all precompressed (except in a dev build), and manifest.json, which maps the names for the server.
import { createRequire } from 'node:module';
import { copyFile, mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const require = createRequire(new URL('../end2end/package.json', import.meta.url));
const esbuild = require('esbuild');

const SITE = 'target/site';
const release = process.argv[2] === 'release';
/** As a release, but compressed quickly: for tests. */
const tests = process.argv[2] === 'tests';

await rm(SITE, { recursive: true, force: true });
await mkdir(SITE, { recursive: true });
const copied = (await readdir('public', { recursive: true, withFileTypes: true }))
  .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
  .map((entry) => path.relative('public', path.join(entry.parentPath, entry.name)).replaceAll(path.sep, '/'));
for (const file of copied) {
  await mkdir(path.join(SITE, path.dirname(file)), { recursive: true });
  await copyFile(path.join('public', file), path.join(SITE, file));
}

/** Lazily loaded parts have content hashes in their names, too: their URLs become imports. */
const parts = {
  name: 'parts',
  setup: (build) =>
    build.onLoad({ filter: /__wasm_split\.js$/ }, async ({ path: file }) => {
      const imports = [];
      const text = (await readFile(file, 'utf8')).replace(/new URL\(("[^"]+\.wasm"),/g, (_, part) => {
        imports.push(`import part${imports.length} from ${part};`);
        return `new URL(part${imports.length - 1},`;
      });
      return { contents: [...imports, text].join('\n') };
    }),
};

const options = {
  outdir: `${SITE}/pkg`,
  entryNames: '[name].[hash]',
  assetNames: '[name].[hash]',
  bundle: true,
  format: 'esm',
  minify: release || tests,
  loader: { '.wasm': 'file' },
  // A style sheet refers to public files by URL; a missing file is an error.
  external: copied.map((file) => `/${file}`),
  // Nesting, layers and container queries are not lowered: every browser of the last two years supports them.
  target: ['chrome123', 'firefox128', 'safari17.5'],
  plugins: [parts],
  metafile: true,
  logLevel: 'warning',
};
// Loaded after the page is alive, by its name.
const later = await esbuild.build({ ...options, entryPoints: [{ in: 'src/worker/page.js', out: 'page' }] });
const [page] = Object.keys(later.metafile.outputs);
const start = await esbuild.build({
  ...options,
  entryPoints: [
    { in: 'xtask/start.js', out: 'handrail' },
    { in: 'style/main.css', out: 'handrail' },
  ],
  define: { PAGE: JSON.stringify(path.basename(page)) },
});

const built = [later, start].flatMap(({ metafile }) => Object.keys(metafile.outputs)).map((file) => path.posix.relative(SITE, file));
const named = (ending) => {
  const file = built.find((file) => path.basename(file).startsWith('handrail.') && file.endsWith(ending));
  if (file === undefined) throw new Error(`nothing was built that ends in ${ending}`);
  return `/${file}`;
};
const manifest = { js: named('.js'), wasm: named('.wasm'), css: named('.css') };

const kilobytes = (bytes) => `${(bytes / 1000).toFixed(1)} kB`;

/** Writes `.br` and `.gz` beside a file if they are smaller; returns the transfer size. */
async function compress(file) {
  const bytes = await readFile(path.join(SITE, file));
  if (!(release || tests) || !/\.(css|html|js|json|svg|txt|wasm|webmanifest|xml)$/.test(file)) return bytes.length;
  // The mode for fonts often suits WebAssembly best.
  const modes = [constants.BROTLI_MODE_GENERIC, ...(release ? [constants.BROTLI_MODE_FONT] : [])].map((mode) => {
    const params = { [constants.BROTLI_PARAM_MODE]: mode, [constants.BROTLI_PARAM_QUALITY]: release ? 11 : 5, [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
    return promisify(brotliCompress)(bytes, { params });
  });
  const [zipped, ...brotlis] = await Promise.all([promisify(gzip)(bytes, { level: 9 }), ...modes]);
  const brotli = brotlis.reduce((one, other) => (other.length < one.length ? other : one));
  if (brotli.length < bytes.length) await writeFile(path.join(SITE, `${file}.br`), brotli);
  if (zipped.length < bytes.length) await writeFile(path.join(SITE, `${file}.gz`), zipped);
  console.error(`   ${file}: ${kilobytes(bytes.length)}, ${kilobytes(brotli.length)} compressed`);
  return Math.min(brotli.length, bytes.length);
}

const sizes = await Promise.all(built.map(compress));
const first = sizes.filter((_, at) => Object.values(manifest).includes(`/${built[at]}`));
await Promise.all(copied.map(compress));
console.error(`   script, WebAssembly and style sheet: ${kilobytes(first.reduce((sum, size) => sum + size, 0))} to load`);

// Last, because its presence says that the build is complete.
await writeFile(path.join(SITE, 'manifest.json'), JSON.stringify(manifest));
