set -eu
# Neither run finds what the other fetched, and none touches the system's lists.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/lists/partial" "$folder/archives/partial"
echo "deb [trusted=yes] $ONE/debian ./" >"$folder/sources.list"
cat >"$folder/apt.conf" <<END
Dir::State::Lists "$folder/lists";
Dir::State::Status "/dev/null";
Dir::Cache "$folder";
Dir::Etc::SourceList "$folder/sources.list";
Dir::Etc::SourceParts "/dev/null";
Acquire::Languages "none";
APT::Sandbox::User "";
END
export APT_CONFIG="$folder/apt.conf"
apt-get -qq update
cd "$folder"
apt-get -qq download deck-of-cards >/dev/null
sha256sum -- *.deb
