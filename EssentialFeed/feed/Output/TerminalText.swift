import FeedPresentation

/// A text that only the terminal shows.
enum TerminalText {
    /// The column of the images' descriptions.
    case image
    /// The column of the publishers' words.
    case caption
    /// The column of the publishers.
    case author
    /// Says that the feed is from the server.
    case fromServer
    /// Says that the feed is from the cache.
    case fromCache
    /// Says how to load more; `%@` stands for the next number of pages.
    case mayHaveMore
    /// Says how to print earlier comments; `%@` stands for the id of the first one that is printed.
    case earlierComments
    /// Says how many images are without bytes; `%@` stands for the number.
    case missingImages
    /// Says how to see a picture that the terminal cannot show.
    case seePicture
    /// Says that new images or comments are printed when they arrive.
    case waitingForChanges
    /// Says that the connection was lost and is there again.
    case connectedAgain

    fileprivate var translations: (english: String, greek: String, portuguese: String) {
        switch self {
        case .image: ("Image", "Εικόνα", "Imagem")
        case .caption: ("Caption", "Λεζάντα", "Legenda")
        case .author: ("Author", "Δημιουργός", "Autor")
        case .fromServer: ("From the server.", "Από τον διακομιστή.", "Do servidor.")
        case .fromCache: ("From the cache.", "Από την προσωρινή μνήμη.", "Do cache.")
        case .mayHaveMore:
            (
                "There may be more images. To load them, add --pages %@ or --all.",
                "Ίσως υπάρχουν κι άλλες εικόνες. Για να φορτωθούν, προσθέστε --pages %@ ή --all.",
                "Pode haver mais imagens. Para carregá-las, acrescente --pages %@ ou --all."
            )
        case .earlierComments:
            (
                "There are earlier comments. To print them, add --before %@",
                "Υπάρχουν προηγούμενα σχόλια. Για να εμφανιστούν, προσθέστε --before %@",
                "Há comentários anteriores. Para exibi-los, acrescente --before %@"
            )
        case .missingImages:
            ("Images that could not be loaded: %@", "Εικόνες που δεν φορτώθηκαν: %@", "Imagens não carregadas: %@")
        case .seePicture:
            (
                "To see the picture, write it to a file with --output.",
                "Για να δείτε την εικόνα, γράψτε την σε αρχείο με --output.",
                "Para ver a imagem, grave-a em um arquivo com --output."
            )
        case .waitingForChanges:
            (
                "Waiting for changes. Press Ctrl-C to stop.",
                "Αναμονή για αλλαγές. Πατήστε Ctrl-C για διακοπή.",
                "Aguardando mudanças. Pressione Ctrl-C para parar."
            )
        case .connectedAgain:
            ("Connected again.", "Η σύνδεση αποκαταστάθηκε.", "Conectado novamente.")
        }
    }
}

extension Language {
    /// Returns a text of the terminal, with a value in place of `%@`.
    func text(_ text: TerminalText, _ value: (any CustomStringConvertible)? = nil) -> String {
        let (english, greek, portuguese) = text.translations
        let translation =
            switch self {
            case .english: english
            case .greek: greek
            case .brazilianPortuguese: portuguese
            }
        return value.map { translation.replacing("%@", with: "\($0)") } ?? translation
    }
}
