set -eu
# Neither run finds what the other fetched.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
git clone --quiet "$ONE/repository.git" "$folder/one"
git clone --quiet "$TWO/repository.git" "$folder/two"
git -C "$folder/one" log --format='%H %s'
git -C "$folder/two" log --format='%H %s'
cat "$folder/one/file"
git ls-remote "$ONE/repository.git"
