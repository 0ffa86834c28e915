// OpenDocument texts whose pictures are files of the server, or need other programs.
import { contentXml } from './office-files.ts';
import { declaration, openDocument } from './office-packages.ts';
import type { ZipEntry } from './zip-files.ts';

type LinkedPicture = { readonly name: string; readonly bytes: () => Buffer };

/** A picture in the style of a paragraph. */
const background = (href: string) =>
  `<office:automatic-styles><style:style style:name="B" style:family="paragraph">
<style:paragraph-properties><style:background-image xlink:type="simple" xlink:actuate="onLoad"
xlink:href="${href}"/></style:paragraph-properties></style:style></office:automatic-styles>`;

const bullet = (href: string) =>
  `<office:automatic-styles><text:list-style style:name="L"><text:list-level-style-image
text:level="1" xlink:type="simple" xlink:show="embed" xlink:actuate="onLoad" xlink:href="${href}">
<style:list-level-properties fo:width="1cm" fo:height="1cm"/></text:list-level-style-image>
</text:list-style></office:automatic-styles>`;

const listed = `<text:list text:style-name="L"><text:list-item><text:p>Text</text:p>
</text:list-item></text:list>`;

/** The style of an area that a picture fills. */
const areaStyles = (href: string) =>
  `${declaration}<office:document-styles office:version="1.2"
xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0"
xmlns:xlink="http://www.w3.org/1999/xlink"><office:styles><draw:fill-image draw:name="F"
xlink:href="${href}" xlink:type="simple" xlink:show="embed" xlink:actuate="onLoad"/>
</office:styles></office:document-styles>`;

const area = `<text:p><draw:rect svg:width="5cm" svg:height="5cm" draw:style-name="A"/></text:p>`;

const filledArea = `<office:automatic-styles><style:style style:name="A" style:family="graphic">
<style:graphic-properties draw:fill="bitmap" draw:fill-image-name="F"/></style:style>
</office:automatic-styles>`;

const svgPicture = (href: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="99"
height="99"><image width="50" height="50" xlink:href="${href}"/></svg>`;

/** LibreOffice lets other programs draw it. */
const epsPicture = `%!PS-Adobe-3.0 EPSF-3.0
%%BoundingBox: 0 0 99 99
%%EndComments
9 9 moveto 90 90 lineto stroke showpage
%%EOF
`;

/** LibreOffice expands this to the address of its profile. */
const userFolder = `\${$BRAND_BASE_DIR/program/bootstraprc:UserInstallation}`;
const above = (variable: string, levels: number) =>
  `vnd.sun.star.expand:${variable}${'/..'.repeat(levels)}`;

const image = `<text:p><draw:frame svg:width="2cm" svg:height="2cm"><draw:image xlink:type="simple"
xlink:href="Pictures/a" xlink:show="embed" xlink:actuate="onLoad"/></draw:frame></text:p>`;

/** `file`: the path of a picture that the texts must not show. */
export function linkedPictures({
  url,
  picture: file,
}: {
  readonly url: string;
  readonly picture: string;
}): LinkedPicture[] {
  const text = (name: string, body: string, styles?: string, ...more: ZipEntry[]) => ({
    name,
    bytes: () => openDocument('text', contentXml('text', body, styles), ...more),
  });
  const bulletOf = (name: string, href: string) => text(`a bullet ${name}`, listed, bullet(href));
  return [
    bulletOf('of a server', `${url}/bullet.png`),
    bulletOf('of a file', `file://${file}`),
    bulletOf('above the profile', above(userFolder, 12) + file),
    bulletOf('above the extensions', above('$UNO_USER_PACKAGES_CACHE', 900) + file),
    bulletOf('above the temporary folder', above('file://$TMPDIR', 900) + file),
    text(
      'a background of a file',
      '<text:p text:style-name="B">Text</text:p>',
      background(`file://${file}`),
    ),
    text('an area that is filled with a file', area, filledArea, {
      name: 'styles.xml',
      content: areaStyles(`file://${file}`),
    }),
    text('an SVG picture with a file', image, undefined, {
      name: 'Pictures/a',
      content: svgPicture(`file://${file}`),
    }),
    text('an EPS picture', image, undefined, { name: 'Pictures/a', content: epsPicture }),
  ];
}
