import DuetHTTP
import HTTPTypes

extension HTTPBody {
    /// The same, which fails when it has another number of bytes; none that are too many are handed on.
    func counted(_ count: Int64?, of request: HTTPRequest) -> HTTPBody {
        guard let count else { return self }
        let body = checked { read, isEnd in
            guard read > count || isEnd && read < count else { return }
            let error = WrongBodyLength(count: read, announced: count)
            throw HTTPClientError.connectionFailed(url: request.loggableURL, reason: "\(error)", underlying: error)
        }
        return body.size == count ? body : HTTPBody(body, size: count) { body.trailers }
    }
}

/// A body has other bytes than were announced; of too many not all were counted.
struct WrongBodyLength: Error, CustomStringConvertible {
    let count: Int64
    let announced: Int64

    var isTooLong: Bool { count > announced }

    var description: String {
        "its body has \(isTooLong ? "at least " : "")\(count) bytes instead of \(announced)"
    }
}

extension Error {
    /// That a body has another length than was announced, if it is that.
    var wrongBodyLength: WrongBodyLength? {
        guard case .connectionFailed(_, _, let underlying)? = self as? HTTPClientError else { return nil }
        return underlying as? WrongBodyLength
    }
}
