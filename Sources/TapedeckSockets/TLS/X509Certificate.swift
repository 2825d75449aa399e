internal import CSSL

/// A certificate of OpenSSL's.
final class X509Certificate: @unchecked Sendable {
  // Never changed once it is signed or read.
  let pointer: OpaquePointer

  /// Takes the reference over.
  init(adopting pointer: OpaquePointer) { self.pointer = pointer }

  deinit { X509_free(pointer) }

  /// - Parameter file: what the text is called in errors.
  static func all(inPEM pem: [UInt8], file: String) throws(TLSError) -> [X509Certificate] {
    ERR_clear_error()
    let bio = Self.bio(holding: pem)
    defer { BIO_free(bio) }
    var certificates: [X509Certificate] = []
    while let pointer = PEM_read_bio_X509_AUX(bio, nil, nil, nil) {
      certificates.append(X509Certificate(adopting: pointer))
    }
    // After the last one no further beginning is found, which is no error.
    let isAtEnd = td_error_reason(ERR_peek_last_error()) == PEM_R_NO_START_LINE
    let reason = TLSError.reason()
    guard isAtEnd else { throw TLSError("a certificate in \(file) is damaged (\(reason))") }
    guard !certificates.isEmpty else { throw TLSError("\(file) holds no certificate in PEM form") }
    return certificates
  }

  /// The certificates of a PEM file as they stand in it, unread: reading all that a system trusts takes OpenSSL 20 ms.
  static func allDER(inPEM pem: [UInt8]) -> [[UInt8]] {
    let bio = Self.bio(holding: pem)
    defer { BIO_free(bio) }
    var certificates: [[UInt8]] = []
    var (name, header): (UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<CChar>?)
    var (data, count): (UnsafeMutablePointer<UInt8>?, Int) = (nil, 0)
    while PEM_read_bio(bio, &name, &header, &data, &count) == 1, let label = name {
      let bytes = Array(UnsafeBufferPointer(start: data, count: count))
      if String(cString: label).hasSuffix("CERTIFICATE"), let end = sequenceEnd(bytes) {
        // A trusted certificate is followed by what it is trusted for.
        certificates.append(Array(bytes[..<end]))
      }
      for pointer in [name, header] { CRYPTO_free(pointer, #file, #line) }
      CRYPTO_free(data, #file, #line)
    }
    ERR_clear_error()
    return certificates
  }

  /// Where a sequence ends that DER begins with (X.690 §8.1.3); `nil` for anything else.
  private static func sequenceEnd(_ der: [UInt8]) -> Int? {
    guard der.count > 2, der[0] == 0x30, case 0x81...0x83 = der[1] else { return nil }
    let start = 2 + Int(der[1] & 0x0F)
    guard start <= der.count else { return nil }
    let end = der[2..<start].reduce(0) { $0 << 8 | Int($1) } + start
    return end <= der.count ? end : nil
  }

  var pem: [UInt8] { Self.bytes { PEM_write_bio_X509($0, pointer) } }

  /// In seconds since 1970.
  var expires: Int {
    var days: Int32 = 0
    var seconds: Int32 = 0
    guard ASN1_TIME_diff(&days, &seconds, nil, X509_get0_notAfter(pointer)) == 1 else { return 0 }
    return WallClock.now / 1000 + Int(days) * 86_400 + Int(seconds)
  }

  /// The names to which its name constraints permit it; none if it has no constraints.
  var permittedNames: [ServerName] {
    guard let constraints = td_name_constraints(pointer) else { return [] }
    defer { NAME_CONSTRAINTS_free(constraints) }
    return (0..<max(0, td_permitted_count(constraints))).compactMap { index in
      var start: UnsafePointer<UInt8>?
      var count: Int32 = 0
      let kind = td_permitted(constraints, index, &start, &count)
      let bytes = Array(UnsafeBufferPointer(start: start, count: Int(count)))
      switch kind {
      case GEN_DNS: return ServerName(String(decoding: bytes, as: UTF8.self))
      // An address and its mask.
      case GEN_IPADD: return .address(Array(bytes.prefix(bytes.count / 2)))
      default: return nil
      }
    }
  }

  /// A BIO with a copy of `bytes`. `BIO_new_mem_buf` makes none and would read an array that Swift has freed.
  static func bio(holding bytes: [UInt8]) -> OpaquePointer? {
    let bio = BIO_new(BIO_s_mem())
    // The end is an end, and not a reason to try again.
    BIO_ctrl(bio, BIO_C_SET_BUF_MEM_EOF_RETURN, 0, nil)
    BIO_write(bio, bytes, Int32(clamping: bytes.count))
    return bio
  }

  /// What `write` writes.
  static func bytes(_ write: (OpaquePointer?) -> Int32) -> [UInt8] {
    let bio = BIO_new(BIO_s_mem())
    defer { BIO_free(bio) }
    guard write(bio) == 1 else { return [] }
    var start: UnsafePointer<UInt8>?
    let count = td_memory(bio, &start)
    return Array(UnsafeBufferPointer(start: start, count: count))
  }
}
