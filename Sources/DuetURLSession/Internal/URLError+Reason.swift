import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension URLError {
    /// The same error without the URL that failed, whose query may hold secrets.
    var withoutURL: URLError {
        URLError(code, userInfo: [NSLocalizedDescriptionKey: localizedDescription])
    }

    /// Whether there was no connection.
    var isOfNoConnection: Bool {
        switch code {
        case .cannotFindHost, .dnsLookupFailed: true
        #if !canImport(FoundationNetworking)
            // On Linux it may be of another address of the host than the one that was connected to.
            case .cannotConnectToHost: true
        #endif
        default: false
        }
    }

    /// What went wrong, in this package's terms.
    var reason: String {
        let text = "\(localizedDescription), URLError \(code.rawValue)"
        return switch code {
        case .cannotFindHost, .dnsLookupFailed:
            "its host name is not known"
        case .cannotConnectToHost:
            "the connection was refused"
        case .networkConnectionLost:
            "the connection was closed before the answer was complete"
        // On Linux an answer that is not HTTP is an unsupported URL; a URL that is none was refused before.
        case .badServerResponse, .cannotParseResponse, .cannotDecodeRawData, .cannotDecodeContentData, .unsupportedURL:
            "the answer is not valid HTTP (\(text))"
        case .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasBadDate,
            .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected,
            .clientCertificateRequired:
            "TLS failed (\(text))"
        default:
            text
        }
    }
}
