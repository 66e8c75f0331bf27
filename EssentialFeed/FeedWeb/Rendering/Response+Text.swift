import Hummingbird

extension Response {
    /// A filled template.
    ///
    /// Pages are never kept, because what they show may have changed the next moment.
    static func html<Content>(
        _ template: String,
        _ page: Page<Content>,
        status: HTTPResponse.Status = .ok
    ) throws -> Response {
        Response(try Templates.render(template, page), mediaType: "text/html", status: status)
    }

    /// One line of text.
    static func text(_ text: String, status: HTTPResponse.Status) -> Response {
        Response(text, mediaType: "text/plain", status: status)
    }

    private init(_ text: String, mediaType: String, status: HTTPResponse.Status) {
        self.init(
            status: status,
            headers: [
                .contentType: "\(mediaType); charset=utf-8",
                .cacheControl: "no-store",
                .vary: "Accept-Language",
            ],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text))
        )
    }
}
