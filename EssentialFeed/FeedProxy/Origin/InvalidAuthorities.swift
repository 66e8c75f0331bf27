/// A file that should hold certificates of authorities and does not.
public struct InvalidAuthorities: Error, CustomStringConvertible {
    /// The file.
    public let path: String

    /// What kept the certificates from being read.
    public let underlying: any Error

    /// What is wrong, and what such a file looks like.
    public var description: String {
        "\(path) holds no certificates that can be read (\(underlying)). "
            + "Name a file with certificates in PEM, which begin with -----BEGIN CERTIFICATE-----."
    }
}
