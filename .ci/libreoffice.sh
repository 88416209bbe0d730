#!/bin/sh
# Writes test/source/libreoffice/: sheets (.fods) as LibreOffice saves them as .xlsx, .xls and .ods, and sheet.fods as CSV in six encodings.
# Needs LibreOffice Calc (soffice). The files are committed, so tests don't need it.
set -eu
cd "$(dirname "$0")/../test/source/libreoffice"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
convert() { soffice "-env:UserInstallation=file://$work/profile" --headless --convert-to "$1" --outdir "$work" "$2.fods" >/dev/null 2>&1; }
for sheet in sheet values; do
  for type in xlsx xls ods; do
    convert "$type" "$sheet"
    mv "$work/$sheet.$type" "$sheet.$type"
  done
done
# The numbers are LibreOffice's codes for delimiter, quote, encoding, first line, columns, language, quoting of all text, and cells as shown.
for encoding in utf-8:76 windows-1252:1 macroman:2 iso-8859-15:22 windows-1250:33 utf-16le:65535; do
  convert "csv:Text - txt - csv (StarCalc):59,34,${encoding#*:},1,,0,false,true,false" sheet
  mv "$work/sheet.csv" "sheet.${encoding%:*}.csv"
done
