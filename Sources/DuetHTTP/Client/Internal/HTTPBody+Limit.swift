package import HTTPTypes

extension HTTPBody {
    /// The same as far as a request takes it, which fails where there is more; as it is when the request does not say.
    package func limited(to limit: Int?, answering request: HTTPRequest) -> HTTPBody {
        guard let limit else { return self }
        // Before the first byte, where it is known by then.
        return checked { [size] count, _ in
            guard count <= limit, size ?? 0 <= limit else {
                throw HTTPClientError.bodyTooLarge(url: request.loggableURL, limit: limit)
            }
        }
    }
}
