"""pys3local, for uvicorn: an S3-compatible server beside moto."""

import os
from pathlib import Path

from pys3local.providers.local import LocalStorageProvider
from pys3local.server import create_s3_app

folder = Path(os.environ["S3_FOLDER"])
folder.mkdir(parents=True, exist_ok=True)
app = create_s3_app(
    LocalStorageProvider(folder), os.environ["S3_KEY"], os.environ["S3_SECRET"], allow_bucket_creation=True)
